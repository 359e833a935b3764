/** Sends a call that tries something, and shows what it answered. */
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Call } from '../../api/call.ts';
import { Button } from '../button/button.tsx';
import { Card } from '../page/page.tsx';
import { ProblemBox } from '../states/states.tsx';

interface TryCardProps<Data> {
  title: string;
  call: Call<Data>;
  /** The words on the button: "Send a test". */
  action: string;
  /** Shows the answer; what stands there before it comes, if it is undefined. */
  children: (answer: Data | undefined) => ReactNode;
}

export function TryCard<Data>({ title, call, action, children }: TryCardProps<Data>) {
  const attempt = useMutation({ mutationFn: () => call.send() });
  const button = (
    <Button busy={attempt.isPending} onClick={() => attempt.mutate()}>
      {action}
    </Button>
  );
  return (
    <Card title={title} call={call} actions={button}>
      {children(attempt.data)}
      {attempt.error !== null && <ProblemBox error={attempt.error} />}
    </Card>
  );
}
