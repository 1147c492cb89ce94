/**
 * Looking after an application's events: the library's classes for it as beans, and as an endpoint of the actuator. Read
 * {@code PosthornEndpoint} first. Nobody comes in but Spring.
 */
@NullMarked
package dev.posthorn.spring.operating;

import org.jspecify.annotations.NullMarked;
