"""Typical texts of each table of the embedded graph, as they are before compression, most frequent last.

They only save space: a part of a row that is in them takes two or three bytes, any other part takes what it is long. A
file keeps the dictionaries it was created with, so they may be changed at any time.
"""

# Bytes 3 and following stand for the values of the row's own columns, in the order of `embedded_write.py`:
# of a node its key and name; of an edge its key, predicate, valid_from, valid_to and known_from.
_BLOCK = '"last_accessed_at":null,"last_recall_interval":0.0'
_STATE = '"recall_frequency":0,"sensitivity":"normal"'
_COUNTS = '{"access_count":0,"anchor_at":'
_DECAY = '"decay_gradient":1.0,"decay_rate":0.02'
_CREATED = ',"created_by":"'
_CITED = '"cited_source_ids":["source\x01'
_ANCHORED = (
    f'"anchor_entity_key":"entity\x01","anchor_salience":0.5,{_CITED}","source\x01"],"created_at":\x02\x06\x02'
    f'{_CREATED}",{_DECAY},"description":"","description_from":"extractive",'
)
_NODES = (
    '{"access_count":1,"anchor_salience":1.0,"state":"core","state":"active","state":"archived",'
    '"ttl_policy":"keep_forever","ttl_policy":"ephemeral","is_owner":true,"has_macro":true,"has_meso":true,'
    '"cited_source_ids":null,"description":"Concept; in ","description_from":null,"lifetime":"forever",'
    '"added_by":"agent","bucket":"WORK","bucket":"UNSORTED","source_type":"note","source_type":"message",'
    '"source_type":"chat","content_type":"conversation","content_type":"text-note","trust":"owner",'
    '"sensitivity":"high"'
    f'{_COUNTS}\x02\x06,{_ANCHORED}"evidence_hash":"","expires_at":null,"is_dirty":false,"last_accessed_at":null,'
    f'"last_event_at":\x02\x06,"last_recall_interval":0.0,"macro_id":\x03,{_STATE},"started_at":\x02\x06,'
    '"state":"core","storyline_count":2,"team_id":null,"total_source_count":10,"ttl_policy":"keep_forever"}'
    f'{_COUNTS}\x02\x06,{_ANCHORED}"distinct_days":10,"evidence_hash":"","expires_at":null,"is_dirty":false,'
    '"last_accessed_at":null,"last_recall_interval":0.0,"last_source_at":\x02\x06,"open":true,"open":false,'
    f'"promoted_at":\x02\x06,{_STATE},"source_count":10,"started_at":\x02\x06,"state":"candidate",'
    '"storyline_id":\x03,"team_id":null,"ttl_policy":"decay","weight":5.5}'
    '{"added_by":"user","content":\x04,"created_at":,"created_by":"","date_added":,"entity_key":"entity\x01,'
    '"expired":false,'
    '"expires_at":null,"lifetime":"year","note_id":\x03,"other_entity_key":null,"source_entity_key":null,'
    '"source_id":"source\x01,"target":"entity"}'
    '{"created_by":"","fact_id":"fact\x01","value":\x04}'
    f'{_COUNTS}\x02\x06,"anchor_salience":0.5,"bucket":"PERSONAL_LIFE","content_type":"email","created_at":\x02\x06'
    f'{_CREATED}",{_DECAY},"entity_key":\x03,"event_at":\x02\x06,"expires_at":null,"keywords":["","","",""],'
    f'{_BLOCK},"parent_id":null,"participants":["",""],"processing_status":"extracted","recall_frequency":0,'
    '"received_at":\x02\x06,"sensitivity":"normal","source_type":"email","state":"candidate","summary":"",'
    '"tags":["planning","collaboration","decision","learning","reflection","personal","general","positive","neutral",'
    '"negative","email"],"team_id":null,"title":\x04,"trust":"external","ttl_policy":"decay","updated_at":\x02\x06,'
    '"uri":"inbox:email/.eml","url":null}'
    f'{_COUNTS}\x02\x06,"aliases":[],"anchor_at":\x02\x06,"anchor_salience":0.5,"canonical_name":\x04,{_CITED}"],'
    f'"created_at":\x02\x06{_CREATED}","decay_gradient":1.0,"decay_rate":0.04,"decay_rate":0.028,{_DECAY},'
    '"description":"I ","description_from":"extractive","distinct_source_days":1,"entity_key":\x03,'
    '"expires_at":null,"first_mentioned_at":\x02\x06,"first_received_at":\x02\x06,"has_macro":false,'
    '"has_meso":false,"is_owner":false,"last_accessed_at":null,"last_mentioned_at":\x02\x06,'
    '"last_recall_interval":0.0,"last_received_at":\x02\x06,"mention_count":1,"recall_frequency":0,'
    '"sensitivity":"normal","source_count":1,"state":"candidate","ttl_policy":"decay","updated_at":\x02\x06'
)
_EDGES = (
    '"anchor_salience":1.0,"state":"core","state":"active","state":"archived","ttl_policy":"keep_forever",'
    '"contradicts":["fact\x01"],"polarity":"negated","modality":"possible","modality":"intended","functional":true,'
    '"recorded_by":"agent","status":"superseded","status":"contradicted","status":"ended","ended_known_from":\x07,'
    '"superseded_by_fact_id":"fact\x01","supersedes_fact_id":"fact\x01","rules":["alias","part_of_name"]'
    f'{_COUNTS}\x07,"anchor_salience":0.5,"attitude":null,"contradicts":[],"decay_gradient":1.0,"decay_rate":0.04,'
    '"decay_rate":0.030840000000000003,"decay_rate":0.0438,"decay_rate":0.0294,"decay_rate":0.0281,'
    '"decay_rate":0.03246,"decay_rate":0.02,"description":"","ended_known_from":null,"evidence_count":1,'
    f'"evidence_ids":["fact\x01"],"expires_at":null,"fact_id":\x03,"first_said_at":\x05,"functional":false,{_BLOCK},'
    '"last_said_at":\x05,"modality":"asserted","polarity":"affirmed","predicate":\x04,"proximity":null,'
    '"recall_frequency":0,"recorded_at":\x07,"recorded_by":"extraction","relationship_type":\x04,'
    '"sensitivity":"normal","source_count":1,"source_ids":["source\x01"],"state":"candidate","status":"current",'
    '"superseded_by_fact_id":null,"supersedes_fact_id":null,"ttl_policy":"decay"}'
    '{"event_at":\x05,"source_type":"note","weight":1.0}{"event_at":\x05,"source_type":"email","weight":0.5}'
    '"source_type":"message"}"source_type":"note"}{"event_at":\x05,"mention_count":2,'
    '{"event_at":\x05,"mention_count":1,"names":["'
    '"],"received_at":\x07,"rules":["same_name"],"source_type":"email"}'
)
_EVIDENCE = (
    '"modality":"possible","modality":"intended","polarity":"negated","relation":"WORKS_AT","relation":"LOCATED_IN",'
    '"rule":"copula","rule":"possessive","rule":"passive","rule":"clause","source_type":"note","source_type":"message",'
    '"trust":"owner","trust":"agent","method":"llm","method":"agent","object_class":"Literal","object_class":"Person",'
    '"subject_class":"Entity","speaker":null'
    '{"attitude":null,"confidence":0.9,"confidence":0.45,"confidence":0.81,"confidence":0.765,"confidence":0.75,'
    '"description":null,"end":245,"method":"local","modality":"asserted","object":"","object_class":"Entity",'
    '"object_id":null,'
    '"object_class":"Concept","object_id":"entity\x01","object_key":"entity\x01","polarity":"affirmed","predicate":"have",'
    '"predicate_text":"have","proximity":null,"received_at":\x02\x06,"relation":"RELATED_TO","rule":"inherited",'
    '"rule":"active","said_at":\x02\x06,"source_type":"email","speaker":"","start":154,"stated_from":null,'
    '"stated_to":null,"subject":"","subject_class":"Concept","subject_class":"Person","trust":"external"}'
)
DICTIONARIES = {"node": _NODES.encode(), "edge": _EDGES.encode(), "evidence": _EVIDENCE.encode()}
