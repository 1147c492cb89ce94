import { useEffect, useRef, useState } from 'react'
import './tips.css'

/**
 * Shows the text of `data-tip` of whatever the pointer rests on or the focus is in. One for the whole page: a tip of its own in
 * each of ten thousand cells would cost more than the cells.
 */
export function Tips() {
  const [anchor, setAnchor] = useState<HTMLElement>()
  const tip = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const find = (event: Event) => {
      const found = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tip]') : null
      setAnchor(found ?? undefined)
    }
    const hide = () => {
      setAnchor(undefined)
    }
    const key = (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        hide()
      }
    }
    document.addEventListener('pointerover', find)
    document.addEventListener('focusin', find)
    document.addEventListener('focusout', hide)
    document.addEventListener('scroll', hide, true)
    document.addEventListener('keydown', key)
    return () => {
      document.removeEventListener('pointerover', find)
      document.removeEventListener('focusin', find)
      document.removeEventListener('focusout', hide)
      document.removeEventListener('scroll', hide, true)
      document.removeEventListener('keydown', key)
    }
  }, [])

  useEffect(() => {
    const box = tip.current
    if (anchor === undefined || box === null) {
      return
    }
    // In the top layer, so that a dialog does not cover it.
    box.showPopover()
    const place = anchor.getBoundingClientRect()
    const size = box.getBoundingClientRect()
    const below = place.bottom + 6 + size.height < window.innerHeight
    box.style.top = `${below ? place.bottom + 6 : place.top - size.height - 6}px`
    box.style.left = `${Math.max(8, Math.min(place.left, window.innerWidth - size.width - 8))}px`
    anchor.setAttribute('aria-describedby', 'tip')
    return () => {
      anchor.removeAttribute('aria-describedby')
      if (box.isConnected) {
        box.hidePopover()
      }
    }
  }, [anchor])

  return (
    <div ref={tip} id="tip" role="tooltip" className="tip" popover="manual">
      {anchor?.dataset['tip']}
    </div>
  )
}
