/** Measures how fast an intern's effective secrets are listed from large vaults. */
import { randomUUID } from 'node:crypto';
import { startMeasuredGateway } from '../gateway-process.ts';
import { renderTable } from '../table.ts';

/** The secrets of each vault, and the requests of each kind. */
const [secrets = 1_000, requests = 400] = process.argv.slice(2).map(Number);
const HOSTS = ['api.example.com', 'uploads.example.com', 'auth.example.com'];
const LIMIT = 100;
const BAR_MS = 25;

const gateway = await startMeasuredGateway();
await gateway.database.query(`update organizations set entitlements = '{interns}'`);
const lender = await makeIntern();
const intern = await makeIntern(lender.vault_id);
await call('PUT', '/vault/secrets/first', { value: 'x', hosts: HOSTS });
const { rows } = await gateway.database.query<{ id: string }>(
  'select id from vaults where intern_id is null',
);
// The vaults share every second name.
for (const [n, vaultId] of [intern.vault_id, lender.vault_id, rows[0]!.id].entries()) {
  await gateway.database.query(
    `insert into vault_secrets (vault_id, name, hosts, fingerprint, sealed_value, version)
     select $1, 'secret_' || case when n % 2 = 0 then 'all' else 'v' || $2 end || '_' || n, $3, $4, 'v1.x.y.z',
       gen_random_uuid()
     from generate_series(1, $5::int - case when $2 = '2' then 1 else 0 end) n`,
    [vaultId, String(n), HOSTS, `sha256:${'0'.repeat(64)}`, secrets],
  );
}
await gateway.database.query('vacuum analyze');

const last = await listed();
const reads: Record<string, string> = { 'reference: one intern': `/interns/${intern.id}` };
for (const offset of [0, Math.floor(last / 2), Math.max(0, last - LIMIT)]) {
  reads[`effective secrets, offset ${offset}`] = pathOf(offset);
}
const waits = new Map(Object.keys(reads).map((name) => [name, [] as number[]]));
for (let n = 0; n < requests; n += 1) {
  for (const [name, path] of Object.entries(reads)) {
    const startedAtMs = performance.now();
    await call('GET', path);
    // The first requests are the warm-up.
    if (n >= requests / 10) waits.get(name)!.push(performance.now() - startedAtMs);
  }
}
await gateway.close();

const table = [...waits].map(([name, each]) => {
  const sorted = each.toSorted((a, b) => a - b);
  const at = (share: number): string => sorted[Math.floor(share * sorted.length)]!.toFixed(1);
  return [name, at(0.5), at(0.95), name.startsWith('reference') ? '' : String(BAR_MS)];
});
process.stdout.write(
  `\nThree vaults of ${secrets} secrets, ${last} names in all, pages of ${LIMIT}, one request after the other\n\n${renderTable(
    ['', 'p50, ms', 'p95, ms', 'bar for p95'],
    table,
  )}\n`,
);

function pathOf(offset: number): string {
  return `/vault/interns/${intern.id}/effective-secrets?limit=${LIMIT}&offset=${offset}`;
}

async function listed(): Promise<number> {
  for (let offset = 0; ; offset += LIMIT) {
    const page = JSON.parse(await call('GET', pathOf(offset))) as { data: unknown[]; has_more: boolean };
    if (!page.has_more) return offset + page.data.length;
  }
}

async function makeIntern(vaultId?: string): Promise<{ id: string; vault_id: string }> {
  const body = { name: randomUUID(), ...(vaultId === undefined ? {} : { vault_id: vaultId }) };
  return JSON.parse(await call('POST', '/interns', body)) as { id: string; vault_id: string };
}

async function call(method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(`${gateway.origin}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text;
}
