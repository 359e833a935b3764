/** Describes why a call of the API failed, in words for the person who looks at the page. */

/** The reason of a refusal when another tab has replaced the session, so that this page has a token of the old one. */
export const REPLACED = 'csrf_token_required';

interface Issue {
  path: string;
  message: string;
}

/** An answer of the API that is an error, or no answer at all (status 0). */
export class Problem extends Error {
  readonly status: number;
  /** The reason that the API names: `csrf_token_required`. */
  readonly reason: string | undefined;
  readonly requestId: string | undefined;
  readonly issues: readonly Issue[];
  /** The wait that the API asked for. */
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number,
    message: string,
    facts: { reason?: string; requestId?: string; issues?: Issue[]; retryAfterMs?: number } = {},
  ) {
    super(message);
    this.status = status;
    this.reason = facts.reason;
    this.requestId = facts.requestId;
    this.issues = facts.issues ?? [];
    this.retryAfterMs = facts.retryAfterMs;
  }

  /** True: the same call may succeed by itself, so that the page goes on trying. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

interface ErrorBody {
  error?: { message?: unknown; metadata?: { issues?: unknown; reason?: unknown } };
}

/** Returns the problem of an answer with an error status. `body` is the answer's JSON, if it has any. */
export function problemOf(response: Response, body: unknown): Problem {
  const error = (body as ErrorBody | undefined)?.error;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const { issues, reason } = error?.metadata ?? {};
  return new Problem(
    response.status,
    typeof error?.message === 'string' ? error.message : `The gateway answered ${response.status}.`,
    {
      reason: typeof reason === 'string' ? reason : undefined,
      requestId: response.headers.get('x-request-id') ?? undefined,
      issues: Array.isArray(issues) ? (issues as Issue[]) : [],
      retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : undefined,
    },
  );
}

/** Returns the problem of a failed call. Errors of `fetch` mean that no answer came. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  return new Problem(0, 'The gateway does not answer.');
}

/** Returns what the person can do about a problem. */
export function adviceFor({ status, reason }: Problem): string {
  if (reason === REPLACED) return 'Another tab has signed in. Look at who is signed in, then try again.';
  if (status === 0)
    return 'Check that the gateway runs and that you are online. This page goes on by itself.';
  if (status === 401) return 'Your session has ended. Sign in again.';
  if (status === 403) return 'Your key may not do this. Sign in with a management key.';
  if (status === 404) return 'It may have been deleted, or belongs to another organization.';
  if (status === 408) return 'The query took too long. Choose a shorter range or fewer filters.';
  if (status === 429) return 'Too many requests. This page goes on by itself in a moment.';
  if (status === 402) return 'Add credits, or raise the limit that was reached.';
  if (status >= 500) return 'The gateway or its database is unavailable. This page goes on by itself.';
  return 'Change the marked values and try again.';
}
