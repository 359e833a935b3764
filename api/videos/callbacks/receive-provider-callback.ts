/** Handles `POST /provider-callbacks/{provider}`: receives a provider's callback about any of its video jobs. */
import { operations } from '../../../contract/operations.ts';
import { AppError } from '../../../domain/errors.ts';
import { defineRoute } from '../../http/route.ts';

export const receiveProviderCallback = defineRoute(
  operations.receiveProviderCallback,
  async ({ params, rawHeaders: headers, rawBody: body }, { services }) => {
    const { provider } = params;
    if (!(await services.callbacks.receive({ provider, headers, body }))) throw new AppError('not_found');
    return { status: 200, body: { received: true } };
  },
  {
    admit({ params: { provider } }, { services }) {
      if (!services.callbacks.admits({ provider })) throw new AppError('not_found');
    },
  },
);
