/** Reads, begins and ends the session of this browser. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { components } from '../../generated/api.d.ts';
import { API_BASE, keepCsrfToken, sessionHeaders } from './client.ts';
import { asProblem, Problem, problemOf } from './problem.ts';

const PATH = `${API_BASE}/console/sessions`;

export type Session = components['schemas']['ConsoleSession'];

/** An API key, or the token of a one-time link. A session is given for it. */
export type Credential = { api_key: string } | { link: string };

/** Reads the session; null if there is none. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  async queryFn({ signal }): Promise<Session | null> {
    const response = await send('GET', { signal });
    if (response.status === 401) return null;
    return sessionOf(response);
  },
});

/** Returns the session of a page within the shell, which shows pages only to those who have one. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Problem(401, 'There is no session.');
  return data;
}

export function mayManage(session: Session): boolean {
  return session.key.kind === 'management';
}

export async function signIn(credential: Credential): Promise<Session> {
  return sessionOf(
    await send('POST', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credential),
    }),
  );
}

export async function signOut(): Promise<void> {
  const response = await send('DELETE', { headers: sessionHeaders('DELETE') });
  if (!response.ok && response.status !== 401) throw problemOf(response, await bodyOf(response));
  keepCsrfToken(undefined);
}

function send(method: string, init: RequestInit): Promise<Response> {
  return fetch(PATH, { credentials: 'same-origin', ...init, method }).catch((error: unknown) => {
    if (init.signal?.aborted === true) throw error;
    throw asProblem(error);
  });
}

async function sessionOf(response: Response): Promise<Session> {
  const body = await bodyOf(response);
  if (!response.ok) throw problemOf(response, body);
  const { data } = body as { data: Session };
  keepCsrfToken(data.csrf_token);
  return data;
}

async function bodyOf(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined);
}
