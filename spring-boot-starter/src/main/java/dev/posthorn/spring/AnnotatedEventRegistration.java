package dev.posthorn.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Makes the context hand annotated events to the outbox for as long as it hands on any. A listener that is a bean ends as
 * one: before those beans that were made earlier, and what these publish when they are destroyed would be lost silently.
 */
final class AnnotatedEventRegistration implements BeanFactoryPostProcessor {

    private final ConfigurableApplicationContext context;
    private final AnnotatedEventListener listener;

    AnnotatedEventRegistration(ConfigurableApplicationContext context, ObjectProvider<Outbox> outbox) {
        this.context = context;
        this.listener = new AnnotatedEventListener(outbox);
    }

    /** Before the first bean is made that may publish something. */
    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        context.addApplicationListener(listener);
    }
}
