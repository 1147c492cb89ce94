import { useEffect, useId, useRef, type ReactNode } from 'react'
import './dialog.css'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** Buttons, the one that does it last. */
  actions: ReactNode
  wide?: boolean
}

/**
 * The browser's own modal dialog: it keeps the focus inside, closes with Escape and gives the focus back. The well-known libraries'
 * dialogs lock the page's scrolling with a style element, which the Content-Security-Policy forbids.
 */
export function Dialog({ open, onClose, title, children, actions, wide = false }: DialogProps) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)

  useEffect(() => {
    const element = dialog.current
    if (open && element !== null && !element.open) {
      element.showModal()
    } else if (!open) {
      element?.close()
    }
  }, [open])

  return (
    <dialog
      ref={dialog}
      className={`dialog${wide ? ' dialog-wide' : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      {open && (
        <div className="dialog-frame">
          <h2 id={id}>{title}</h2>
          <div className="dialog-body stack">{children}</div>
          <div className="dialog-actions row">{actions}</div>
        </div>
      )}
    </dialog>
  )
}
