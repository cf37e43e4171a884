using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace VectorPipe.Tasks;

/// <summary>Builds the task of an async method without a result, as <see cref="PooledTaskBuilder{TResult}"/>.</summary>
[StructLayout(LayoutKind.Auto)]
internal struct PooledTaskBuilder
{
    private PooledTaskBuilder<bool> _builder;

    public readonly ValueTask Task => _builder.TaskWithoutResult;

    public static PooledTaskBuilder Create() => default;

    public readonly void Start<TMethod>(ref TMethod method)
        where TMethod : IAsyncStateMachine => _builder.Start(ref method);

    public readonly void SetStateMachine(IAsyncStateMachine method)
    {
    }

    public void SetResult() => _builder.SetResult(true);

    public void SetException(Exception error) => _builder.SetException(error);

    public void AwaitOnCompleted<TAwaiter, TMethod>(ref TAwaiter awaiter, ref TMethod method)
        where TAwaiter : INotifyCompletion
        where TMethod : IAsyncStateMachine => _builder.AwaitOnCompleted(ref awaiter, ref method);

    public void AwaitUnsafeOnCompleted<TAwaiter, TMethod>(ref TAwaiter awaiter, ref TMethod method)
        where TAwaiter : ICriticalNotifyCompletion
        where TMethod : IAsyncStateMachine => _builder.AwaitUnsafeOnCompleted(ref awaiter, ref method);
}
