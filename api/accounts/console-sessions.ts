/** Signs browsers in to the console and out of it. */
import type {
  ConsoleSessionBody,
  consoleSessionOperations,
} from '../../contract/accounts/console-sessions.ts';
import { SESSION_MS } from '../../domain/accounts/console-session.ts';
import { AppError } from '../../domain/errors.ts';
import type { ConsoleSessions } from '../../services/accounts/identity/console-sessions.ts';
import type { VerifiedSession } from '../../services/accounts/identity/sign-in.ts';
import { sessionTokenIn, setSessionCookie } from '../http/request/session-cookie.ts';
import type { AnyCall, ApiSettings, RoutesOf } from '../http/route.ts';

interface SessionServices {
  consoleSessions: ConsoleSessions;
}

const DAY_MS = 86_400_000;

export const consoleSessionRoutes: RoutesOf<typeof consoleSessionOperations, SessionServices> = {
  /** Handles `POST /console/sessions`: exchanges a key or a link for a cookie. */
  createConsoleSession: async (call, { services, settings }) => {
    const { api_key: apiKey, link = '' } = call.body;
    const signIn = apiKey === undefined ? { link } : { apiKey };
    const opened = await services.consoleSessions.open(signIn, call.address(), call.client.requestId);
    // The session before, if any, could have been planted by somebody else.
    const earlier = sessionTokenIn(call.rawHeaders, settings.publicUrl);
    if (earlier !== undefined) await services.consoleSessions.end(earlier);
    return {
      status: 201,
      headers: { 'set-cookie': setSessionCookie(opened.token, settings.publicUrl, SESSION_MS) },
      body: { data: presentSession(opened, settings) },
    };
  },

  /** Handles `GET /console/sessions`: returns the session of the cookie. */
  getConsoleSession: async (call, { services, settings }) => {
    const found = await services.consoleSessions.verify(tokenOf(call, settings), call.address);
    if (found === null) throw new AppError('invalid_credential');
    return { status: 200, body: { data: presentSession(found, settings) } };
  },

  /** Handles `DELETE /console/sessions`: ends the session of the cookie. */
  deleteConsoleSession: async (call, { services, settings }) => {
    await services.consoleSessions.end(tokenOf(call, settings));
    return { status: 204, headers: { 'set-cookie': setSessionCookie('', settings.publicUrl, 0) } };
  },
};

/** Returns the token of the cookie. Throws a 404 for a call that has none, whose key was valid. */
function tokenOf({ rawHeaders }: AnyCall, { publicUrl }: ApiSettings): string {
  const token = sessionTokenIn(rawHeaders, publicUrl);
  if (token === undefined || rawHeaders.authorization !== undefined) throw new AppError('not_found');
  return token;
}

function presentSession(
  { session, principal, csrfToken }: VerifiedSession,
  { temporalUiUrl, retention }: ApiSettings,
): ConsoleSessionBody {
  const { keyHash, label, kind, organizationId, workspaceId } = principal;
  const isManagement = kind === 'management';
  return {
    id: session.id,
    expires_at: session.expiresAt.toISOString(),
    csrf_token: csrfToken,
    key: { hash: keyHash, label, kind: isManagement ? 'management' : 'regular' },
    organization_id: organizationId,
    workspace_id: isManagement ? null : workspaceId,
    temporal_ui_url: (isManagement ? temporalUiUrl : undefined) ?? null,
    retention_days: {
      generations: retention.generationsMs / DAY_MS,
      contents: retention.contentsMs / DAY_MS,
    },
  };
}
