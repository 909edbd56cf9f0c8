BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE events (
	event_id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	at_ns INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	text TEXT NOT NULL, 
	step INTEGER NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (event_id), 
	CONSTRAINT fk_events_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (run_id) ON DELETE CASCADE
);
INSERT INTO "events" VALUES(1,1,100,'note','began, “quoted”
and on; it''s here',0);
INSERT INTO "events" VALUES(2,1,1100000000,'takeover','the mouse moved',4);
CREATE TABLE runs (
	run_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	started_at TEXT NOT NULL, 
	game_id TEXT NOT NULL, 
	game_name TEXT NOT NULL, 
	game_version TEXT NOT NULL, 
	profile_hash TEXT NOT NULL, 
	role TEXT NOT NULL, 
	planner TEXT NOT NULL, 
	seed INTEGER, 
	screen_width INTEGER NOT NULL, 
	screen_height INTEGER NOT NULL, 
	settings TEXT NOT NULL, 
	thresholds TEXT NOT NULL, 
	versions TEXT NOT NULL
);
INSERT INTO "runs" VALUES(1,'2026-01-02T03:04:05.000006Z','flappy','Flappy “Bird”','1.0','abababababababababababababababababababababababababababababababab','player','skills',7,288,512,'{"recording":{"step_frames":true,"jpeg_quality":88}}','{"refresh_steps":4,"scene_change":0.35}','{"pitwall":"0.1.0","python":"3.11"}');
INSERT INTO "runs" VALUES(2,'2026-01-02T03:04:05.000006Z','doom','Freedoom','1.0','abababababababababababababababababababababababababababababababab','player','skills',NULL,288,512,'{"recording":{"step_frames":true,"jpeg_quality":88}}','{"refresh_steps":4,"scene_change":0.35}','{"pitwall":"0.1.0","python":"3.11"}');
CREATE TABLE steps (
	run_id INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	at_ns INTEGER NOT NULL, 
	frame_id INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	route TEXT NOT NULL, 
	reasons TEXT NOT NULL, 
	why TEXT NOT NULL, 
	change FLOAT, 
	progress INTEGER NOT NULL, 
	stall INTEGER NOT NULL, 
	repetition INTEGER NOT NULL, 
	since_strategic INTEGER NOT NULL, 
	failure INTEGER NOT NULL, 
	fields TEXT NOT NULL, 
	proposal_id INTEGER, 
	proposal TEXT, 
	action TEXT NOT NULL, 
	arguments TEXT NOT NULL, 
	invalid TEXT, 
	sent TEXT NOT NULL, 
	sent_events INTEGER NOT NULL, 
	refused_events INTEGER NOT NULL, 
	refusals TEXT NOT NULL, 
	effect TEXT NOT NULL, 
	capture_ms FLOAT, 
	perceive_ms FLOAT, 
	trigger_ms FLOAT, 
	decide_ms FLOAT, 
	act_ms FLOAT, 
	record_ms FLOAT, 
	reaction_ms FLOAT, 
	frame_age_ms FLOAT, 
	frame_ref TEXT NOT NULL, 
	CONSTRAINT pk_steps PRIMARY KEY (run_id, step), 
	CONSTRAINT ck_steps_step CHECK (step >= 1), 
	CONSTRAINT fk_steps_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (run_id) ON DELETE CASCADE
);
INSERT INTO "steps" VALUES(1,1,250000000,8,'playing','reactive','[]','the plan still holds',0.125,0,1,0,0,1,'{"bird_y":201.5,"score":1,"dead":false,"text":"GET READY","lost":null}',0,'{"proposal_id":0,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":1}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":10,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":11,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,1.0,5.0,'frames/000001.jpg');
INSERT INTO "steps" VALUES(1,2,500000000,16,'playing','reactive','[]','the plan still holds',0.125,1,0,0,0,1,'{"bird_y":201.5,"score":2,"dead":false,"text":"GET READY","lost":null}',0,'{"proposal_id":0,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":2}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":20,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":21,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,2.0,5.0,'frames/000002.jpg');
INSERT INTO "steps" VALUES(1,3,750000000,24,'playing','reactive','[]','the plan still holds',0.125,1,1,0,0,1,'{"bird_y":201.5,"score":3,"dead":false,"text":"GET READY","lost":null}',0,'{"proposal_id":0,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":3}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":30,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":31,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,3.0,5.0,'frames/000003.jpg');
INSERT INTO "steps" VALUES(1,4,1000000000,32,'playing','strategic','["refresh","stall"]','the last plan is four steps old',0.125,2,0,0,0,1,'{"bird_y":201.5,"score":4,"dead":false,"text":"GET READY","lost":null}',1,'{"proposal_id":1,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":4}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":40,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":41,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,4.0,5.0,'frames/000004.jpg');
INSERT INTO "steps" VALUES(1,5,1250000000,40,'playing','reactive','[]','the plan still holds',0.125,2,1,0,0,1,'{"bird_y":201.5,"score":5,"dead":false,"text":"GET READY","lost":null}',1,'{"proposal_id":1,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":5}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":50,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":null,"refused":"rate"}]',1,1,'{"rate":1}','unverified',0.6,2.0,0.0,0.0,0.0,0.0,5.0,5.0,'frames/000005.jpg');
INSERT INTO "steps" VALUES(1,6,1500000000,48,'playing','reactive','[]','the plan still holds',0.125,3,0,0,0,1,'{"bird_y":201.5,"score":6,"dead":false,"text":"GET READY","lost":null}',1,'{"proposal_id":1,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":6}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":60,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":61,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,6.0,5.0,'frames/000006.jpg');
INSERT INTO "steps" VALUES(1,7,1750000000,56,'playing','reactive','[]','the plan still holds',0.125,3,1,0,0,1,'{"bird_y":201.5,"score":7,"dead":false,"text":"GET READY","lost":null}',1,'{"proposal_id":1,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":7}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":70,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":71,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,7.0,5.0,'frames/000007.jpg');
INSERT INTO "steps" VALUES(1,8,2000000000,64,'playing','strategic','["refresh","stall"]','the last plan is four steps old',0.125,4,0,0,0,1,'{"bird_y":201.5,"score":8,"dead":false,"text":"GET READY","lost":null}',2,'{"proposal_id":2,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":8}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":80,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":81,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,8.0,5.0,'frames/000008.jpg');
INSERT INTO "steps" VALUES(1,9,2250000000,72,'playing','reactive','[]','the plan still holds',0.125,4,1,0,0,1,'{"bird_y":201.5,"score":9,"dead":false,"text":"GET READY","lost":null}',2,'{"proposal_id":2,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":9}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":90,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":91,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,9.0,5.0,'frames/000009.jpg');
INSERT INTO "steps" VALUES(1,10,2500000000,80,'playing','reactive','[]','the plan still holds',0.125,5,0,0,0,1,'{"bird_y":201.5,"score":10,"dead":false,"text":"GET READY","lost":null}',2,'{"proposal_id":2,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":10}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":100,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":null,"refused":"rate"}]',1,1,'{"rate":1}','unverified',0.6,2.0,0.0,0.0,0.0,0.0,10.0,5.0,'frames/000010.jpg');
INSERT INTO "steps" VALUES(1,11,2750000000,88,'playing','reactive','[]','the plan still holds',0.125,5,1,0,0,1,'{"bird_y":201.5,"score":11,"dead":false,"text":"GET READY","lost":null}',2,'{"proposal_id":2,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":11}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":110,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":111,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,11.0,5.0,'frames/000011.jpg');
INSERT INTO "steps" VALUES(1,12,3000000000,96,'playing','strategic','["refresh","stall"]','the last plan is four steps old',0.125,6,0,0,0,1,'{"bird_y":201.5,"score":12,"dead":false,"text":"GET READY","lost":null}',3,'{"proposal_id":3,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":12}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":120,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":121,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,12.0,5.0,'frames/000012.jpg');
INSERT INTO "steps" VALUES(2,1,250000000,8,'playing','reactive','[]','the plan still holds',0.125,0,1,0,0,1,'{"bird_y":201.5,"score":1,"dead":false,"text":"GET READY","lost":null}',0,'{"proposal_id":0,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":1}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":10,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":11,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,1.0,5.0,'frames/000001.jpg');
INSERT INTO "steps" VALUES(2,2,500000000,16,'playing','reactive','[]','the plan still holds',0.125,1,0,0,0,1,'{"bird_y":201.5,"score":2,"dead":false,"text":"GET READY","lost":null}',0,'{"proposal_id":0,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":2}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":20,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":21,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,2.0,5.0,'frames/000002.jpg');
INSERT INTO "steps" VALUES(2,3,750000000,24,'playing','reactive','[]','the plan still holds',0.125,1,1,0,0,1,'{"bird_y":201.5,"score":3,"dead":false,"text":"GET READY","lost":null}',0,'{"proposal_id":0,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":3}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":30,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":31,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,3.0,5.0,'frames/000003.jpg');
INSERT INTO "steps" VALUES(2,4,1000000000,32,'playing','strategic','["refresh","stall"]','the last plan is four steps old',0.125,2,0,0,0,1,'{"bird_y":201.5,"score":4,"dead":false,"text":"GET READY","lost":null}',1,'{"proposal_id":1,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":4}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":40,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":41,"refused":null}]',2,0,'{}','confirmed',0.6,2.0,0.0,0.0,0.0,0.0,4.0,5.0,'frames/000004.jpg');
INSERT INTO "steps" VALUES(2,5,1250000000,40,'playing','reactive','[]','the plan still holds',0.125,2,1,0,0,1,'{"bird_y":201.5,"score":5,"dead":false,"text":"GET READY","lost":null}',1,'{"proposal_id":1,"situation":"between two pipes","subgoal":"pass the next pipe","candidates":[{"name":"flap","arguments":{"hold_ms":40}},{"name":"wait","arguments":{}}],"module":"","stop":"dead","steps":8,"source":"skill keep_height","planned_ns":5}','flap','{"hold_ms":40}',NULL,'[{"event":{"kind":"key_down","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":50,"refused":null},{"event":{"kind":"key_up","key":"Space","button":"left","x":null,"y":null,"dx":0,"dy":0,"wait_ms":0},"sent_ns":null,"refused":"rate"}]',1,1,'{"rate":1}','unverified',0.6,2.0,0.0,0.0,0.0,0.0,5.0,5.0,'frames/000005.jpg');
CREATE TABLE summaries (
	run_id INTEGER NOT NULL, 
	outcome TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	steps INTEGER NOT NULL, 
	frames INTEGER NOT NULL, 
	dropped_frames INTEGER NOT NULL, 
	strategic_calls INTEGER NOT NULL, 
	events_sent INTEGER NOT NULL, 
	takeovers INTEGER NOT NULL, 
	stuck INTEGER NOT NULL, 
	recovered INTEGER NOT NULL, 
	figures TEXT NOT NULL, 
	CONSTRAINT pk_summaries PRIMARY KEY (run_id), 
	CONSTRAINT fk_summaries_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (run_id) ON DELETE CASCADE
);
INSERT INTO "summaries" VALUES(1,'finished',3.25,12,96,1,4,22,1,2,2,'{"escalations":{"refresh":3,"stall":3},"routes":{"strategic":3,"reactive":9},"refusals":{"rate":2},"invalid":{"out_of_space":1},"effects":{"confirmed":10,"unverified":2},"reaction_ms":{"p50":2.5,"p95":4.0,"p99":8.0,"n":12},"loop_ms":{"p50":1.0,"p95":2.0,"p99":3.0,"n":96},"frame_age_ms":{"p50":null,"p95":null,"p99":null,"n":0}}');
CREATE INDEX ix_runs_started_at ON runs (started_at);
CREATE INDEX ix_runs_game_id ON runs (game_id);
CREATE INDEX ix_steps_run_id_route ON steps (run_id, route);
CREATE INDEX ix_events_run_id_at_ns ON events (run_id, at_ns);
CREATE INDEX ix_summaries_outcome ON summaries (outcome);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('runs',2);
COMMIT;
