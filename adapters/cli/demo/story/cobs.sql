-- cobs/cache.db: issues and patches as rad lists them, one row each; still without rows.
create table "issues" ("id" text primary key not null, "repo" text not null, "issue" text not null) strict;
create table "patches" ("id" text primary key not null, "repo" text not null, "patch" text not null) strict;
create index "ix_issues_repo_id" on "issues" ("repo", "id");
create index "ix_patches_repo_id" on "patches" ("repo", "id");
pragma user_version = 3;
