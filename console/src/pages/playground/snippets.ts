/** Writes a chat as programs that people can paste: with curl, Python and TypeScript. */
import { API_BASE } from '../../api/client.ts';
import { curlOf } from '../../api/curl.ts';
import type { ChatBody } from './stream-chat.ts';

const baseUrl = (): string => `${location.origin}${API_BASE}`;

export const curlSnippet = (body: ChatBody): string =>
  curlOf({ method: 'POST', path: '/chat/completions', body });

/** The OpenAI SDK of Python. Fields are passed as JSON, which `json.loads` reads without any quoting of Python. */
export function pythonSnippet(body: ChatBody): string {
  return `import json, os
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrl())}, api_key=os.environ["SLUICE_API_KEY"])
request = json.loads(${JSON.stringify(JSON.stringify(body))})
answer = client.chat.completions.create(**request)
print(answer.choices[0].message.content)
`;
}

export function typescriptSnippet(body: ChatBody): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl())}, apiKey: process.env['SLUICE_API_KEY'] });
const answer = await client.chat.completions.create(${JSON.stringify(body, undefined, 2)});
console.log(answer.choices[0]?.message.content);
`;
}
