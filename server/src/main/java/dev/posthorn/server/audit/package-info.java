/** The audit over REST. */
@NullMarked
package dev.posthorn.server.audit;

import org.jspecify.annotations.NullMarked;
