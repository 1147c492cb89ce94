import { useState, type SyntheticEvent } from 'react'
import { askWhoIAm } from '~/api/me'
import { session } from '~/api/session'
import { Button } from '~/components/Button'
import { Field } from '~/components/Field'
import { ProblemNote } from '~/components/states'

/** Asks for an API key. It is kept in this tab's session storage and sent in a header, never in an address or a cookie. */
export function SignIn({ why }: { why: string | undefined }) {
  const [key, setKey] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [empty, setEmpty] = useState(false)

  const signIn = async (event: SyntheticEvent) => {
    event.preventDefault()
    setEmpty(key.trim() === '')
    if (key.trim() === '' || busy) {
      return
    }
    setBusy(true)
    setError(undefined)
    try {
      session.tryKey(key.trim())
      await askWhoIAm()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <main className="sign-in">
      <form className="sign-in-card stack" onSubmit={(event) => void signIn(event)}>
        <h1>Posthorn</h1>
        <p className="muted">This hub asks for an API key. Any role but publisher can look around; what else you may do depends on it.</p>
        <Field label="API key" required hint="Kept in this tab until it is closed." fault={empty ? 'Enter a key.' : why}>
          {(ties) => (
            <input
              {...ties}
              type="password"
              autoComplete="off"
              spellCheck={false}
              value={key}
              onChange={(event) => {
                setKey(event.target.value)
              }}
            />
          )}
        </Field>
        {error !== undefined && <ProblemNote error={error} />}
        <Button type="submit" look="primary" why={busy ? 'The hub is asked.' : undefined}>
          Sign in
        </Button>
      </form>
    </main>
  )
}
