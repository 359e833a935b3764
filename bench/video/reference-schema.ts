/** The tables of the reference. It inserts one row at each point at which the product must store one. */
export const REFERENCE_SCHEMA = `
  create table reference_jobs (
    id text primary key, request jsonb not null, state text not null, created_at timestamptz not null default now());
  create table reference_submissions (
    job_id text primary key, state text not null, upstream_id text);
  create table reference_outputs (job_id text primary key, bytes bigint not null);
  create table reference_ledger (job_id text primary key, cost numeric not null);
  create table reference_outbox (job_id text primary key, payload text not null, state text not null);
  create table reference_attempts (job_id text primary key, outcome text not null);
`;
