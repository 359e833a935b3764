/** Handles `GET /key` and `GET /auth/key`: returns the limits and spending of the calling key. */
import { operations } from '../../../contract/operations.ts';
import type { Principal } from '../../../domain/principal.ts';
import { presentCurrentKey } from './present-current-key.ts';
import { type Api, defineRoute } from '../../http/route.ts';

export const getCurrentKey = defineRoute(operations.getCurrentKey, ({ principal }, api) =>
  describeKey(principal, api),
);

export const getCurrentKeyAtFormerPath = defineRoute(
  operations.getCurrentKeyAtFormerPath,
  ({ principal }, api) => describeKey(principal, api),
);

async function describeKey(principal: Principal, { services }: Api) {
  return { status: 200, body: presentCurrentKey(await services.keyInfo.describeKey(principal)) } as const;
}
