import type { ButtonHTMLAttributes } from 'react'
import { usePermission, type Action } from '~/api/permissions'
import './button.css'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'plain' | 'primary' | 'danger' | 'quiet'
  /** Why it cannot be pressed now. It stays in the tab order, so that the reason can be read. */
  why?: string | undefined
}

export function Button({ look = 'plain', why, className = '', onClick, ...rest }: ButtonProps) {
  const barred = why !== undefined
  return (
    <button
      type="button"
      {...rest}
      className={`button button-${look} ${className}`}
      aria-disabled={barred || undefined}
      data-tip={why}
      onClick={(event) => {
        if (barred) {
          event.preventDefault()
        } else {
          onClick?.(event)
        }
      }}
    />
  )
}

/** A button for what not every role may do: it is there for everybody, and says whose role it needs. */
export function ActionButton({ action, why, ...rest }: ButtonProps & { action: Action }) {
  const may = usePermission(action)
  return <Button {...rest} why={may.allowed ? why : may.why} />
}
