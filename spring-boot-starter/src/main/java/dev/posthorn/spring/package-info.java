/**
 * Posthorn inside a Spring Boot application: what the application itself names. Read {@link Outbox} first. Beside it stand
 * {@code testing} and {@code webhook}, for users too. All other packages are rooms behind this door, and what is public in
 * them is so for a neighbour or for Spring alone: {@code settings ← setup ← outbox ← relay ← inbox}, and {@code metrics} and
 * {@code operating} beside the outbox.
 */
@NullMarked
package dev.posthorn.spring;

import org.jspecify.annotations.NullMarked;
