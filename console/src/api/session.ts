/** Reads, begins and ends the session of this browser. */
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import type { components } from '../../generated/api.d.ts';
import { API_BASE, keepCsrfToken, sessionHeaders } from './client.ts';
import { asProblem, Problem, problemOf, REPLACED } from './problem.ts';

const PATH = `${API_BASE}/console/sessions`;

export type Session = components['schemas']['ConsoleSession'];

/** An API key, or the token of a one-time link. A session is given for it. */
export type Credential = { api_key: string } | { link: string };

/** Selects all that was read but the session: the next session must not see what the last one has read. */
export const ofPages = {
  predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== 'session',
};

/** Reads the session; null if there is none. The person who returns to a tab sees who is signed in by now. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  refetchOnWindowFocus: 'always',
  async queryFn({ client, queryKey, signal }): Promise<Session | null> {
    const response = await send('GET', { signal });
    const session = response.status === 401 ? null : await sessionOf(response);
    const last = client.getQueryData<Session | null>(queryKey);
    if (last && session && last.id !== session.id) void client.resetQueries(ofPages);
    return session;
  },
});

/** Reads the session again after a call that failed because it has ended, or because another tab has replaced it. */
export function followSession(queries: QueryClient, error: unknown): void {
  const { status, reason } = asProblem(error);
  if (status === 401 || reason === REPLACED)
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

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
