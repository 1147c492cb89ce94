package dev.posthorn.spring;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.util.ClassUtils;

/** Lets a {@link TransactionWatch} look at every transaction manager, whoever made it. */
final class TransactionWatchPostProcessor implements BeanPostProcessor {

    private static final String ENTITY_MANAGER_HOLDER = "org.springframework.orm.jpa.EntityManagerHolder";

    private final TransactionWatch watch = new TransactionWatch(
            ClassUtils.isPresent(ENTITY_MANAGER_HOLDER, TransactionWatchPostProcessor.class.getClassLoader())
                    ? new JpaFlush()
                    : transaction -> {});

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ConfigurableTransactionManager manager
                && !manager.getTransactionExecutionListeners().contains(watch)) {
            manager.addListener(watch);
        }
        return bean;
    }
}
