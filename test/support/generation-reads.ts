import { type Caller, errorOf } from './caller.ts';
import { eventually } from './eventually.ts';

/** A generation as it is on the wire, as far as tests look at it. */
export type WireGeneration = { id: string; created_at: string; [field: string]: unknown };

export interface WireContent {
  input: { prompt: string } | { messages: unknown[] };
  output: { completion: string | null; reasoning: string | null };
  error: {
    message: string;
    status: number | null;
    provider_name: string | null;
    previous_errors: unknown[];
  } | null;
}

export async function getGeneration(caller: Caller, id: string): Promise<WireGeneration> {
  return dataOf<WireGeneration>(await caller.call('GET', `/generation?id=${id}`));
}

export function getContent(caller: Caller, id: string): Promise<Response> {
  return caller.call('GET', `/generation/content?id=${id}`);
}

/** What was logged of a generation, which follows its answer. */
export function logged(caller: Caller, id: string): Promise<WireContent> {
  return eventually(`the logged body of ${id}`, async () => {
    const response = await getContent(caller, id);
    if (response.status !== 404) return dataOf<WireContent>(response);
    await errorOf(response);
    return undefined;
  });
}

async function dataOf<Data>(response: Response): Promise<Data> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return (JSON.parse(text) as { data: Data }).data;
}
