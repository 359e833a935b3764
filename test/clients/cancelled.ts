import { eventually } from '../support/eventually.ts';
import type { Gateway } from '../support/gateway.ts';

/** Returns the ids of the generations recorded so far. */
export async function generationIds({ database }: Gateway): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>('select id from generations');
  return rows.map(({ id }) => id);
}

/** Resolves when a generation that is not among these ids is recorded as cancelled. */
export async function expectCancelled({ database }: Gateway, before: readonly string[]): Promise<void> {
  await eventually('a cancelled generation', async () => {
    const { rows } = await database.query<{ status: string }>(
      'select status from generations where id <> all($1)',
      [before],
    );
    return rows.some(({ status }) => status === 'cancelled') ? true : undefined;
  });
}
