package dev.posthorn.spring;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;

/** Lets the {@link CommitWatch} look at every transaction manager, whoever made it. */
final class CommitWatchPostProcessor implements BeanPostProcessor {

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(new CommitWatch());
        }
        return bean;
    }
}
