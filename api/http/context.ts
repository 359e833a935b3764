/** Defines the state that the API attaches to each HTTP request. */
import type Koa from 'koa';
import type { ErrorMessages, ErrorShape } from '../../contract/operation.ts';
import type { DirectoryClient } from '../../domain/directory/scim-token.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Waits } from '../../services/live/live-call.ts';

/** The state of a request, read by the access log and the metrics. */
export interface ApiState extends Waits {
  requestId: string;
  /** The id of the matched operation. */
  operationId?: string;
  /** The error shape of the matched operation. */
  errorShape?: ErrorShape;
  /** The error messages of the matched operation. */
  errorMessages?: ErrorMessages;
  principal?: Principal;
  directoryClient?: DirectoryClient;
  /** The `metadata.reason` of the error in the answer; one of a fixed set. */
  reason?: string;
  /** The time, by `performance.now()`, at which a possibly long answer was handed over. */
  handedOverAtMs?: number;
}

export type ApiContext = Koa.ParameterizedContext<ApiState>;
