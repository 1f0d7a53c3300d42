-- node/node.db: what the node knows.
create table "nodes" ("id" text primary key not null, "features" integer not null, "alias" text not null,
    "pow" integer default 0, "timestamp" integer not null, "banned" integer default false,
    "penalty" integer not null default 0, "version" integer not null default 1,
    "agent" text not null default '/radicle/') strict;
create table "addresses" ("node" text not null references "nodes" ("id") on delete cascade, "type" text not null,
    "value" text not null, "source" text not null, "timestamp" integer not null, "last_attempt" integer default null,
    "last_success" integer default null, "banned" integer default false, unique ("node", "type", "value")) strict;
create table "routing" ("repo" text not null, "node" text not null references "nodes" ("id") on delete cascade,
    "timestamp" integer not null, primary key ("repo", "node"));
create table "announcements" ("node" text not null, "repo" text not null, "type" text not null,
    "message" blob not null, "signature" blob not null, "timestamp" integer not null, "relay" integer default -1,
    unique ("node", "repo", "type")) strict;
create table "repo-sync-status" ("repo" text not null, "node" text not null references "nodes" ("id") on delete cascade,
    "head" text not null, "timestamp" integer not null, unique ("repo", "node")) strict;
create table "refs" ("repo" text not null, "namespace" text not null, "ref" text not null, "oid" text not null,
    "timestamp" integer not null, unique ("repo", "namespace", "ref")) strict;
create table "ips" ("ip" text primary key not null, "node" text references "nodes" ("id") on delete cascade,
    "last_attempt" integer not null, "banned" integer default false) strict;
pragma user_version = 9;
