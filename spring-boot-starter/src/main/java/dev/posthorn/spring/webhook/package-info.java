/** Receives webhooks in Spring MVC. */
@NullMarked
package dev.posthorn.spring.webhook;

import org.jspecify.annotations.NullMarked;
