/** Handles `POST /provider-callbacks/{provider}/{jobId}`: receives a provider's callback about one video job. */
import { operations } from '../../../contract/operations.ts';
import { AppError } from '../../../domain/errors.ts';
import { type Admission, defineRoute } from '../../http/route.ts';

type Operation = typeof operations.receiveJobCallback;

export const receiveJobCallback = defineRoute(
  operations.receiveJobCallback,
  async (call, { services }) => {
    const { rawHeaders: headers, rawBody: body } = call;
    if (!(await services.callbacks.receive({ ...addressOf(call), headers, body }))) {
      throw new AppError('not_found');
    }
    return { status: 200, body: { received: true } };
  },
  {
    admit(request, { services }) {
      if (!services.callbacks.admits(addressOf(request))) throw new AppError('not_found');
    },
  },
);

function addressOf({ params, query }: Admission<Operation>) {
  return { provider: params.provider, job: { id: params.jobId, token: query.token ?? '' } };
}
