package dev.posthorn.server.web;

import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.servlet.support.ExtendedServletRequestDataBinder;

/** A filter is what the query says. Left alone, Spring would take headers for it too: {@code From} and {@code Key} are some. */
@ControllerAdvice
class QueryBinding {

    @InitBinder
    void bindTheQueryAlone(ExtendedServletRequestDataBinder binder) {
        binder.setHeaderPredicate(header -> false);
    }
}
