import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './app/tokens.css'
import './app/base.css'
import { App } from './app/App'

const place = document.getElementById('app')
if (place === null) {
  throw new Error('The page has no #app.')
}
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
