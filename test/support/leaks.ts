/** Looks for secrets in all that the product keeps. */
import type { Gateway } from './gateway.ts';
import { historyOf, historyText, shownText } from './runs.ts';

/**
 * Returns a function that names the secrets in a text: as they are, in hexadecimal digits, and in base64 at each of
 * three offsets.
 */
export function leakSearch(secrets: readonly string[]): (text: string) => string[] {
  return (text) => secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form)));
}

function formsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from('x'.repeat(offset) + secret)
      .toString('base64')
      .slice(4, 32),
  );
  return [secret, Buffer.from(secret).toString('hex'), ...base64];
}

/** Returns the text of all rows by table. */
export async function tableTexts({ database }: Pick<Gateway, 'database'>): Promise<Map<string, string>> {
  const { rows: tables } = await database.query<{ name: string }>(
    `select quote_ident(table_name) name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const texts = new Map<string, string>();
  for (const { name } of tables) {
    const { rows } = await database.query<{ text: string }>(`select t::text as text from ${name} t`);
    texts.set(name, rows.map(({ text }) => text).join('\n'));
  }
  return texts;
}

/** Returns the text of each run of a workflow, with its history and what the UI shows, by the workflow's id. */
export async function runTexts(gateway: Gateway): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const { workflowId } of gateway.temporal.workflow.list()) {
    const history = historyText(await historyOf(gateway, workflowId));
    texts.set(workflowId, history + (await shownText(gateway, workflowId)));
  }
  return texts;
}
