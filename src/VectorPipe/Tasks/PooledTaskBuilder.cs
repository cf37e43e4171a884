using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace VectorPipe.Tasks;

/// <summary>Builds the task of an async method so that calls that wait allocate nothing in steady state.</summary>
/// <remarks>
/// <see cref="PoolingAsyncValueTaskMethodBuilder{TResult}"/> keeps one state a processor and one a thread. Searches come in bursts, as the
/// 64 of a connection: of their states it allocated nearly all. The task is awaited once, as every <see cref="ValueTask{TResult}"/>.
/// </remarks>
[StructLayout(LayoutKind.Auto)]
internal struct PooledTaskBuilder<TResult>
{
    // Null as long as the method has not waited.
    private PooledTask<TResult>? _task;
    private TResult _result;

    /// <summary>The task, when the method has ended or waits.</summary>
    public readonly ValueTask<TResult> Task => _task is { } task ? task.Task : new ValueTask<TResult>(_result);

    /// <inheritdoc cref="Task"/>
    public readonly ValueTask TaskWithoutResult => _task is { } task ? task.TaskWithoutResult : default;

    public static PooledTaskBuilder<TResult> Create() => default;

    // That of the runtime: a context that the method changes before it waits is not its caller's.
    public readonly void Start<TMethod>(ref TMethod method)
        where TMethod : IAsyncStateMachine => default(AsyncValueTaskMethodBuilder).Start(ref method);

    public readonly void SetStateMachine(IAsyncStateMachine method)
    {
    }

    public void SetResult(TResult result)
    {
        if (_task is { } task)
            task.SetResult(result);
        else
            _result = result;
    }

    public void SetException(Exception error) => (_task ??= new PooledTask<TResult>()).SetException(error);

    public void AwaitOnCompleted<TAwaiter, TMethod>(ref TAwaiter awaiter, ref TMethod method)
        where TAwaiter : INotifyCompletion
        where TMethod : IAsyncStateMachine => awaiter.OnCompleted(Waiting(ref method));

    public void AwaitUnsafeOnCompleted<TAwaiter, TMethod>(ref TAwaiter awaiter, ref TMethod method)
        where TAwaiter : ICriticalNotifyCompletion
        where TMethod : IAsyncStateMachine => awaiter.UnsafeOnCompleted(Waiting(ref method));

    private Action Waiting<TMethod>(ref TMethod method)
        where TMethod : IAsyncStateMachine
    {
        PooledMethod<TResult, TMethod> waiting;
        if (_task is null)
        {
            // This builder is part of the method's state: it must know the task before the state is copied.
            waiting = PooledMethod<TResult, TMethod>.Rent();
            _task = waiting;
            waiting.Take(ref method);
        }
        else
        {
            waiting = (PooledMethod<TResult, TMethod>)_task;
        }

        waiting.Capture();
        return waiting.GoOn;
    }
}
