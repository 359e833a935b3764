/** Holds the fields of a call that changes something, with its problem, its curl command and its buttons. */
import type { ReactNode } from 'react';
import type { Call } from '../../api/curl.ts';
import { Button } from '../button/button.tsx';
import { CopyCurl } from '../copy/copy.tsx';
import { DialogActions } from '../dialog/dialog.tsx';
import { Fields } from '../field/field.tsx';
import { ProblemBox } from '../states/states.tsx';

interface FormProps {
  attempt: { isPending: boolean; error: Error | null; mutate: () => void };
  /** Undefined: there is nothing to send. */
  call: Call | undefined;
  /** The word on the button: "Create key". */
  action: string;
  /** Present: the form is in a dialog, which this closes. */
  onCancel?: () => void;
  children: ReactNode;
}

export function Form({ attempt, call, action, onCancel, children }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!attempt.isPending) attempt.mutate();
      }}
    >
      <Fields>
        {children}
        {attempt.error !== null && <ProblemBox error={attempt.error} />}
        <DialogActions>
          {call !== undefined && <CopyCurl call={call} />}
          {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
          <Button look="main" type="submit" busy={attempt.isPending} disabled={call === undefined}>
            {action}
          </Button>
        </DialogActions>
      </Fields>
    </form>
  );
}
