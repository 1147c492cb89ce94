/** Posthorn inside a Spring Boot application. */
@NullMarked
package dev.posthorn.spring;

import org.jspecify.annotations.NullMarked;
