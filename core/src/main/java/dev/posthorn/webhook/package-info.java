/** Receives webhooks: whether they are genuine, and what is done about each, once. */
@NullMarked
package dev.posthorn.webhook;

import org.jspecify.annotations.NullMarked;
