import { useState } from 'react'
import { Button } from '~/components/Button'
import { CopyButton } from '~/components/CopyButton'
import { Dialog } from '~/components/Dialog'
import { Field } from '~/components/Field'
import { templateFault, traceAddress, traceTemplate } from './traceLink'

/** The trace's id, as a link to where this viewer looks at traces. */
export function TraceFact({ id }: { id: string }) {
  const [template, setTemplate] = useState(() => traceTemplate.get())
  const [text, setText] = useState<string>()
  const address = template === '' ? undefined : traceAddress(template, id)
  const fault = text === undefined || text === '' ? undefined : templateFault(text)
  const close = () => {
    setText(undefined)
  }
  const keep = () => {
    if (text !== undefined && fault === undefined) {
      traceTemplate.set(text)
      setTemplate(text)
      close()
    }
  }
  return (
    <>
      {address === undefined ? (
        <code>{id}</code>
      ) : (
        <a href={address} target="_blank" rel="noreferrer noopener">
          <code>{id}</code>
        </a>
      )}{' '}
      <CopyButton text={id} />
      <Button
        look="quiet"
        onClick={() => {
          setText(template)
        }}
      >
        {template === '' ? 'Link …' : 'Change link …'}
      </Button>
      <Dialog
        open={text !== undefined}
        onClose={close}
        title="Where traces are looked at"
        actions={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button look="primary" why={fault === undefined ? undefined : `The address ${fault}.`} onClick={keep}>
              Keep
            </Button>
          </>
        }
      >
        <Field label="Address" hint="With {traceId} where the id is to stand, such as https://traces.example/trace/{traceId}. Kept in this browser; empty: no link." fault={fault}>
          {(ties) => (
            <input
              {...ties}
              type="text"
              inputMode="url"
              spellCheck={false}
              value={text ?? ''}
              onChange={(event) => {
                setText(event.target.value.trim())
              }}
            />
          )}
        </Field>
      </Dialog>
    </>
  )
}
