/** Asks before an action that would break something, and names what. */
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Call } from '../../api/call.ts';
import { Button } from '../button/button.tsx';
import { CopyCurl } from '../copy/copy.tsx';
import { ProblemBox } from '../states/states.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

interface ConfirmProps<Data> {
  title: string;
  /** The word on the button: "Delete key". */
  action: string;
  call: Call<Data>;
  /** False: the action waits for what the person still has to choose. */
  isReady?: boolean;
  onDone?: (data: Data) => void;
  /** Called after the action, and when the person changes their mind. */
  onClose: () => void;
  children: ReactNode;
}

export function Confirm<Data>(props: ConfirmProps<Data>) {
  const { title, action, call, isReady = true, onDone, onClose, children } = props;
  const attempt = useMutation({
    mutationFn: () => call.send(),
    onSuccess(data) {
      onDone?.(data);
      onClose();
    },
  });
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {attempt.error !== null && <ProblemBox error={attempt.error} />}
      <DialogActions>
        <CopyCurl call={call} />
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={attempt.isPending} disabled={!isReady} onClick={() => attempt.mutate()}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
