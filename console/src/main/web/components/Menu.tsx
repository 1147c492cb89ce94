import * as Radix from '@radix-ui/react-dropdown-menu'
import type { ReactNode } from 'react'
import { Button } from './Button'
import './menu.css'

export interface MenuItem {
  name: ReactNode
  onSelect: () => void
  why?: string | undefined
  danger?: boolean
}

/** What is done too seldom for a button of its own. Not modal: a modal one locks scrolling by a style element, which the CSP forbids. */
export function Menu({ label, items }: { label: string; items: MenuItem[] }) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>
        <Button>{label} ▾</Button>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="menu" align="end" sideOffset={4}>
          {items.map((item, index) => (
            <Radix.Item
              key={index}
              className={`menu-item${item.danger ? ' menu-danger' : ''}`}
              aria-disabled={item.why !== undefined || undefined}
              data-tip={item.why}
              onSelect={(event) => {
                if (item.why === undefined) {
                  item.onSelect()
                } else {
                  event.preventDefault()
                }
              }}
            >
              {item.name}
            </Radix.Item>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
