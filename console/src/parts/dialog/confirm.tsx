/** Asks before an action that would break something, and names what. */
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Call } from '../../api/curl.ts';
import { Button } from '../button/button.tsx';
import { CopyCurl } from '../copy/copy.tsx';
import { ProblemBox } from '../states/states.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

interface ConfirmProps {
  title: string;
  /** The word on the button: "Delete key". */
  action: string;
  call: Call;
  run: () => Promise<unknown>;
  /** False: the action waits for what the person still has to choose. */
  isReady?: boolean;
  /** Called after the action, and when the person changes their mind. */
  onClose: () => void;
  children: ReactNode;
}

export function Confirm({ title, action, call, run, isReady = true, onClose, children }: ConfirmProps) {
  const attempt = useMutation({ mutationFn: run, onSuccess: onClose });
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
