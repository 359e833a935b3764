import { generationsIn } from './broadcast-scene.ts';
import { eventually } from './eventually.ts';
import type { Receiver } from './receiver.ts';

/** Someone who asks for chats: an API, and a key that it knows. */
export interface ChatCaller {
  origin: string;
  apiKey: string;
}

const CHAT = { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello' }] };

/** Returns the generation's id. Throws when the answer is not 200. */
export async function chat({ origin, apiKey }: ChatCaller, body: object = {}): Promise<string> {
  const response = await fetch(`${origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...CHAT, ...body }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return response.headers.get('x-generation-id')!;
}

export function chats(caller: ChatCaller, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => chat(caller)));
}

/** Asks for one chat after the other until the work is done. Returns the ids of all of them. */
export async function chatsDuring(caller: ChatCaller, work: Promise<unknown>): Promise<string[]> {
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  const ids: string[] = [];
  do ids.push(await chat(caller));
  while (!isOver);
  await over;
  return ids;
}

/** The generations that have arrived at a webhook. */
export function forwardedTo(receiver: Receiver): Set<string> {
  return new Set(receiver.received.flatMap(({ body }) => generationsIn(body)));
}

/** Resolves when all of these have arrived at each of the webhooks. */
export async function expectForwarded(ids: readonly string[], ...receivers: Receiver[]): Promise<void> {
  for (const [index, receiver] of receivers.entries()) {
    await eventually(`all generations at webhook ${index + 1}`, async () => {
      const arrived = forwardedTo(receiver);
      return ids.every((id) => arrived.has(id)) ? true : undefined;
    });
  }
}

/** The attributes of a generation's span, by their names, as a webhook received them. */
export function attributesOf(receiver: Receiver, generationId: string): Record<string, unknown> {
  for (const { body } of receiver.received) {
    if (!generationsIn(body).includes(generationId)) continue;
    const span = spansIn(body).find(({ attributes }) =>
      attributes.some(({ value }) => value.stringValue === generationId),
    );
    return Object.fromEntries(
      (span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]),
    );
  }
  throw new Error(`${generationId} has not arrived`);
}

interface Span {
  attributes: { key: string; value: { stringValue?: string } }[];
}

function spansIn(body: string): Span[] {
  const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}
