"""English names of countries and continents, that is of places that contain other places. No cities, no regions."""

CONTAINING = frozenset(
    name.strip()
    for name in """
afghanistan, albania, algeria, andorra, angola, argentina, armenia, australia, austria, azerbaijan, bahamas, bahrain,
bangladesh, barbados, belarus, belgium, belize, benin, bhutan, bolivia, bosnia, bosnia and herzegovina, botswana,
brazil, brunei, bulgaria, burkina faso, burundi, cambodia, cameroon, canada, cape verde, chad, chile, china, colombia,
comoros, congo, costa rica, croatia, cuba, cyprus, czechia, czech republic, denmark, djibouti, dominica, dominican
republic, ecuador, egypt, el salvador, england, eritrea, estonia, eswatini, ethiopia, fiji, finland, france, gabon,
gambia, germany, ghana, great britain, greece, greenland, grenada, guatemala, guinea, guyana, haiti, honduras,
hungary, iceland, india, indonesia, iran, iraq, ireland, israel, italy, ivory coast, jamaica, japan, jordan,
kazakhstan, kenya, kiribati, kosovo, kuwait, kyrgyzstan, laos, latvia, lebanon, lesotho, liberia, libya,
liechtenstein, lithuania, luxembourg, madagascar, malawi, malaysia, maldives, mali, malta, mauritania, mauritius,
mexico, micronesia, moldova, mongolia, montenegro, morocco, mozambique, myanmar, namibia, nauru, nepal, netherlands,
new zealand, nicaragua, niger, nigeria, north korea, north macedonia, northern ireland, norway, oman, pakistan, palau,
palestine, panama, papua new guinea, paraguay, peru, philippines, poland, portugal, qatar, romania, russia, rwanda,
samoa, saudi arabia, scotland, senegal, serbia, seychelles, sierra leone, slovakia, slovenia, solomon islands,
somalia, south africa, south korea, south sudan, spain, sri lanka, sudan, suriname, sweden, switzerland, syria,
taiwan, tajikistan, tanzania, thailand, togo, tonga, tunisia, turkey, türkiye, turkmenistan, tuvalu, uganda, uk,
ukraine, united arab emirates, uae, united kingdom, united states, united states of america, uruguay, us, u.s., usa,
uzbekistan, vanuatu, venezuela, vietnam, wales, yemen, zambia, zimbabwe, africa, antarctica, asia, europe, north
america, south america, latin america, scandinavia, eu
""".replace("\n", " ").split(",")
)
