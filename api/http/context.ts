import type Koa from 'koa';
import type { ErrorMessages, ErrorShape } from '../../contract/operation.ts';
import type { DirectoryClient } from '../../domain/directory/scim-token.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Waits } from '../../services/live/live-call.ts';

/** What the middleware knows of a request; read by the access log and the metrics. */
export interface ApiState extends Waits {
  requestId: string;
  /** The matched operation. */
  operationId?: string;
  /** That of the matched operation. */
  errorShape?: ErrorShape;
  /** That of the matched operation. */
  errorMessages?: ErrorMessages;
  principal?: Principal;
  directoryClient?: DirectoryClient;
  /** The code of the error that was answered. */
  reason?: string;
  /** When an answer was handed over that may take its reader long, by `performance.now()`. */
  handedOverAtMs?: number;
}

export type ApiContext = Koa.ParameterizedContext<ApiState>;
