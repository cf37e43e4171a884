using System.Threading.Tasks.Sources;

namespace VectorPipe.Tests.Tasks;

/// <summary>What an async method waits for, again and again, without allocating.</summary>
internal sealed class Gate : IValueTaskSource<int>
{
    private ManualResetValueTaskSourceCore<int> _source;

    public ValueTask<int> PassAsync() => new(this, _source.Version);

    /// <summary>Lets one caller pass, who goes on in this call if he waits already.</summary>
    public void Open(int value) => _source.SetResult(value);

    public int GetResult(short token)
    {
        int value = _source.GetResult(token);
        _source.Reset();
        return value;
    }

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);
}
