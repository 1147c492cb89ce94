/** What all of the REST API has in common. */
@NullMarked
package dev.posthorn.server.web;

import org.jspecify.annotations.NullMarked;
