import * as Toast from '@radix-ui/react-toast'
import { Store, useStore } from '~/lib/store'
import { Button } from './Button'
import { Shape, type Tone } from './Status'
import './toasts.css'

interface Message {
  id: number
  tone: Tone
  text: string
}

const messages = new Store<Message[]>([])
let nextId = 0

/** Says that something was done. What went wrong is said where it went wrong, and stays there. */
export function toast(text: string, tone: Tone = 'ok') {
  messages.set([...messages.get().slice(-3), { id: nextId++, tone, text }])
}

export function Toasts() {
  const shown = useStore(messages)
  return (
    <Toast.Provider duration={6000} swipeDirection="right">
      {shown.map(({ id, tone, text }) => (
        <Toast.Root
          key={id}
          className="toast"
          onOpenChange={(open) => {
            if (!open) {
              messages.set(messages.get().filter((message) => message.id !== id))
            }
          }}
        >
          <Shape tone={tone} />
          <Toast.Description className="wrap">{text}</Toast.Description>
          <Toast.Close asChild>
            <Button look="quiet" aria-label="Close">
              ×
            </Button>
          </Toast.Close>
        </Toast.Root>
      ))}
      <Toast.Viewport className="toasts" />
    </Toast.Provider>
  )
}
