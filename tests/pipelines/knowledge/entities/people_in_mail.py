"""A second labelled history, of people only: mail names, brackets, former names, and one first name of several people.

The format is that of `labelled_people.py`: a line is one source, `name [alias; alias] T=key`.
"""

MAIL = """
Anita Rao (Chair, CPC) P=anita | Colm Byrne (Treasurer, CPC) P=colm | Dilys Pugh (Clerk, CPC) P=dilys | CPC O=cpc
Ewan Muir (Member, CPC) P=ewan | Farida Aziz (Member, CPC) P=farida | Gwen Hale (Member, CPC) P=gwen | CPC O=cpc
Hal Ito (Member, CPC) P=hal | Anita Rao P=anita | Ewan P=ewan | Farida P=farida | CPC O=cpc
Colm P=colm | Dilys P=dilys | Gwen P=gwen | Hal P=hal | village hall C=hall
Rao, Anita P=anita | C. Byrne P=colm | Ms. Pugh P=dilys | Aziz, Farida (CPC) P=farida
Jane Doe/HQ/Acme@ACME P=jane | Mark Ostrow/LON/Acme@ACME P=mark | Acme O=acme
Jane Doe P=jane | Ostrow, Mark P=mark | Acme O=acme | Kestrel J=kestrel
jane.doe@acme.com C=jane | mostrow@acme.com C=mark | Kestrel J=kestrel
Jane P=jane | Mark P=mark | Kestrel J=kestrel
Jane Doe's P=jane | Doe, Jane via Lists P=jane | Kestrel J=kestrel
Mark Ostrow@ACME P=mark | CN=Mark Ostrow/OU=LON/O=Acme P=mark | Acme O=acme
Olga Petrova P=olga | Olga Marin P=olgam | choir O=choir | harvest festival E=fest
Olga Petrova P=olga | Ivan Sokolov P=ivan | chess club O=chess
Olga P=olga | Ivan Sokolov P=ivan | chess club O=chess
Olga Marin P=olgam | Petra Lang P=petra | harvest festival E=fest
Olga P=olgam | Petra Lang P=petra | harvest festival E=fest
Anna Schmidt (née Weber) P=annas | Tobias Schmidt P=tobias
Anna Weber P=annas | University of Jena O=jena
Anna Schmidt P=annas | Tobias P=tobias
Ngozi Eze P=ngozi | Chidi Eze P=chidi | Eze & Sons O=ezesons
Ngozi P=ngozi | Chidi P=chidi
N. Eze P=ngozi | Mrs. Eze P=ngozi | Eze & Sons O=ezesons
Chidi Eze P=chidi | Dr. Eze P=dreze | clinic O=clinic | Ngozi Eze P=ngozi
Nguyen Thi Hoa P=hoa | Tran Van Duc P=duc
Hoa Nguyen P=hoanguyen | allotment C=allot
Tran Van Duc P=duc | Thi Hoa P=hoa2 | bakery C=bakery
Katherine Moss P=kate | Kew Gardens L=kew
Kate Moss P=kate | Kew Gardens L=kew
Kate P=kate | Kew Gardens L=kew
William Drury P=bill | Kew Gardens L=kew
Bill Drury P=bill | seed bank O=seed
Elizabeth Carr P=liz | seed bank O=seed
Liz Carr P=liz | seed bank O=seed
Liz Carr P=liz | Beth Carr P=beth | Truro L=truro
Haoran Li P=haoran | Shenzhen L=shenzhen
Li Haoran P=haoran | Shenzhen L=shenzhen
Li Wei P=liwei | Shenzhen L=shenzhen
Wei P=liwei | Shenzhen L=shenzhen
Li Na P=lina | Shenzhen L=shenzhen
Ayşe Kaya P=ayse | Izmir L=izmir
Ayse Kaya P=ayse | Emre Kaya P=emre | Izmir L=izmir
Emre P=emre | A. Kaya P=ayse | Izmir L=izmir
Agnieszka Wójcik P=aga | Gdansk L=gdansk
Agnieszka Wojcik P=aga | Agata Wójcik P=agata | Gdansk L=gdansk
Dr. Priscilla Oduya P=oduya | Nairobi L=nairobi
Oduya P=oduya | Nairobi L=nairobi
P. Oduya P=oduya | Nairobi L=nairobi
Peter Oduya P=peter | Kisumu L=kisumu
Thomas Vale P=vale | Thomas Vale Jr. P=valejr | regatta E=regatta
Tom Vale P=vale | sailing club O=sail
Herr Schulze P=schulze | Frau Schulze P=frau | Hausverwaltung O=hv
Schulze, Dieter P=schulze | Hausverwaltung O=hv
UK L=uk | user's knowledge C=uknow | London L=london
United Kingdom L=uk | London L=london | UK L=uk
"""
