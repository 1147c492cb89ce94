/** Posthorn at work: the services orders and billing, killed in turn, and whether the books are right after all. */
@NullMarked
package dev.posthorn.demo;

import org.jspecify.annotations.NullMarked;
