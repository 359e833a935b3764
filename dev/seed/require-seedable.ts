/** Protects databases in production from synthetic data. */
import type { Handle } from '../../db/postgres/connection.ts';
import { bool, uuid } from '../../db/postgres/shape.ts';
import { rowsOf } from '../../db/postgres/statement.ts';
import { StackError } from '../stack-error.ts';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]', '']);

/**
 * Returns the organization to seed. Synthetic generations count as spent and stay in sums and rankings, so a production
 * database must be requested explicitly. Throws a StackError with instructions.
 */
export async function requireSeedable(
  knex: Handle,
  databaseUrl: string,
  wanted: { organizationId?: string | undefined; intoProduction: boolean; environment: string | undefined },
): Promise<string> {
  const [organization] = await rowsOf(
    knex,
    { id: uuid, enforces: bool },
    `select id, credit_enforcement enforces from organizations where id = coalesce(:organizationId, id)
     order by created_at limit 1`,
    { organizationId: wanted.organizationId ?? null },
  );
  if (organization === undefined) {
    throw new StackError(
      wanted.organizationId === undefined
        ? 'There is no organization yet. First: npm start, or npm run admin -- bootstrap'
        : 'There is no such organization.',
    );
  }
  const reasons = [
    ...(wanted.environment === 'production' ? ['SLUICE_ENV is production'] : []),
    ...(LOOPBACK.has(new URL(databaseUrl).hostname) ? [] : ['the database is on another machine']),
    ...(organization.enforces ? ['the organization pays with credits'] : []),
  ];
  if (reasons.length > 0 && !wanted.intoProduction) {
    throw new StackError(
      `This looks like production (${reasons.join('; ')}). Nothing was written.\nIf it is not, add --into-production.`,
    );
  }
  return organization.id;
}
