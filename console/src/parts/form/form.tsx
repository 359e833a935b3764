/** Holds the fields of a call that changes something, with its problem, its curl command and its buttons. */
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Call } from '../../api/call.ts';
import { asProblem, type Problem } from '../../api/problem.ts';
import { Button } from '../button/button.tsx';
import { CopyCurl } from '../copy/copy.tsx';
import { Dialog, DialogActions } from '../dialog/dialog.tsx';
import { Fields } from '../field/field.tsx';
import { ProblemBox } from '../states/states.tsx';

interface FormProps<Data> {
  /** Undefined: there is nothing to send. */
  call: Call<Data> | undefined;
  /** The word on the button: "Create key". */
  action: string;
  onDone?: (data: Data) => void;
  /** Present: the form is in a dialog, which this closes. */
  onCancel?: () => void;
  children: ReactNode | ((problem: Problem | undefined) => ReactNode);
}

export function Form<Data>({ call, action, onDone, onCancel, children }: FormProps<Data>) {
  const attempt = useMutation({
    mutationFn: () => call!.send(),
    onSuccess: onDone,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!attempt.isPending) attempt.mutate();
      }}
    >
      <Fields>
        {typeof children === 'function'
          ? children(attempt.error ? asProblem(attempt.error) : undefined)
          : children}
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

interface DialogFormProps<Data> extends Omit<FormProps<Data>, 'onCancel'> {
  title: string;
  onClose: () => void;
}

/** A form in a dialog, which closes when the call has succeeded. */
export function DialogForm<Data>({ title, onClose, onDone = onClose, ...form }: DialogFormProps<Data>) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form {...form} onDone={onDone} onCancel={onClose} />
    </Dialog>
  );
}
