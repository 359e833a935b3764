/** Receives the callbacks of providers about video jobs. */
import type { providerCallbackOperations } from '../../contract/videos/provider-callbacks.ts';
import { AppError } from '../../domain/errors.ts';
import type { CallbackService } from '../../services/videos/callbacks/callback-service.ts';
import type { Admission, RoutesOf } from '../http/route.ts';

export const providerCallbackRoutes: RoutesOf<
  typeof providerCallbackOperations,
  { callbacks: CallbackService }
> = {
  /** Handles `POST /provider-callbacks/{provider}/{jobId}`: receives a provider's callback about one video job. */
  receiveJobCallback: {
    admit(request, { services }) {
      if (!services.callbacks.admits(addressOf(request))) throw new AppError('not_found');
    },
    handle: async (call, { services }) => {
      const { rawHeaders: headers, rawBody: body } = call;
      if (!(await services.callbacks.receive({ ...addressOf(call), headers, body }))) {
        throw new AppError('not_found');
      }
      return { status: 200, body: { received: true } };
    },
  },

  /** Handles `POST /provider-callbacks/{provider}`: receives a provider's callback about any of its video jobs. */
  receiveProviderCallback: {
    admit({ params: { provider } }, { services }) {
      if (!services.callbacks.admits({ provider })) throw new AppError('not_found');
    },
    handle: async ({ params, rawHeaders: headers, rawBody: body }, { services }) => {
      const { provider } = params;
      if (!(await services.callbacks.receive({ provider, headers, body }))) throw new AppError('not_found');
      return { status: 200, body: { received: true } };
    },
  },
};

type Operation = typeof providerCallbackOperations.receiveJobCallback;

function addressOf({ params, query }: Admission<Operation>) {
  return { provider: params.provider, job: { id: params.jobId, token: query.token ?? '' } };
}
