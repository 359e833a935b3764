import type { Gateway } from './gateway.ts';

/** Returns the ids of all jobs that the provider ever made. */
export async function providerJobs({ config }: Gateway): Promise<string[]> {
  const { baseUrl, apiKey } = config.providers('local');
  const ids: string[] = [];
  for (;;) {
    const after = ids.length === 0 ? '' : `&after=${ids.at(-1)}`;
    const response = await fetch(`${baseUrl}/videos?limit=100${after}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const { data, has_more } = (await response.json()) as { data: { id: string }[]; has_more: boolean };
    ids.push(...data.map(({ id }) => id));
    if (!has_more) return ids;
  }
}
