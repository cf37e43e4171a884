using System.Buffers;
using System.Diagnostics;
using VectorPipe.Collections.Generations;
using VectorPipe.Storage.Log;

namespace VectorPipe.Collections.Writing;

/// <summary>One thread at a time writes: it numbers writes, appends them to the log, and makes them visible once durable.</summary>
/// <remarks>
/// <para>Writes that arrive while a group is written make up the next group, so that many callers share one sync.</para>
/// <para>The thread starts with a request and ends after some idle time: a process may have a thousand collections open.</para>
/// <para>An error of the log ends writing for good: what is visible stays, every later write fails with the error.</para>
/// </remarks>
internal sealed class CollectionWriter : IDisposable
{
    private readonly CollectionState _state;
    private readonly LogWriter _log;
    private readonly Durability _durability;
    private readonly TimeSpan _idle;
    private readonly WriteResolver _resolver;
    private readonly ArrayBufferWriter<byte> _group = new();
    private readonly Queue<WriteRequest> _waiting = new();
    private readonly object _gate = new();
    private Thread? _thread;
    private readonly string _directory;
    private Exception? _failure;
    private bool _isApplied;
    private HoldReason _holds;
    private bool _isClosing;

    /// <param name="directory">Directory of the collection, for errors.</param>
    /// <param name="state">The open collection.</param>
    /// <param name="log">Its log; owned from here on.</param>
    /// <param name="durability">When a write is acknowledged.</param>
    /// <param name="idle">Time without a request after which the thread ends.</param>
    public CollectionWriter(string directory, CollectionState state, LogWriter log, Durability durability, TimeSpan idle)
    {
        _directory = directory;
        _state = state;
        _log = log;
        _durability = durability;
        _idle = idle;
        _resolver = new WriteResolver(state);
    }

    /// <summary>Called on the writer's thread after each group, before its writes are acknowledged.</summary>
    public Action? GroupWritten { get; set; }

    /// <summary>Called on the writer's thread before each group: why it must not insert anything; null if it may.</summary>
    public Func<IndexWriteException?>? InsertionsRefused { get; set; }

    /// <summary>Why nothing can be written any more; null while it can.</summary>
    public Exception? Failure => Volatile.Read(ref _failure);

    /// <summary>Whether its thread runs: from the first request until it has been idle for a while.</summary>
    public bool HasThread
    {
        get
        {
            lock (_gate)
                return _thread is not null;
        }
    }

    /// <summary>Whether writes wait for maintenance.</summary>
    public bool IsHeld
    {
        get
        {
            lock (_gate)
                return _holds != 0;
        }
    }

    /// <summary>Whether writes wait for a reason.</summary>
    public bool IsHeldFor(HoldReason reason)
    {
        lock (_gate)
            return (_holds & reason) != 0;
    }

    /// <summary>Queues writes; the request's task ends when they are durable and visible.</summary>
    /// <exception cref="IndexWriteException">The collection is read-only after an error, or was closed.</exception>
    public Task WriteAsync(WriteRequest request)
    {
        lock (_gate)
        {
            if (_isClosing)
                return Task.FromException(new ObjectDisposedException("VectorCollection"));
            if (_failure is not null && !request.OnlyReads)
                return Task.FromException(ReadOnlyAfter(_failure));
            if (_thread is null)
                Start();
            _waiting.Enqueue(request);
            Monitor.PulseAll(_gate);
        }

        return request.Task;
    }

    /// <summary>Runs a step on the writer's thread between two groups.</summary>
    public Task RunAsync(Action step) => WriteAsync(new WriteRequest(step));

    /// <summary>Runs a step that changes nothing on the writer's thread between two groups, also when nothing can be written.</summary>
    public Task ReadAsync(Action step) => WriteAsync(new WriteRequest(step) { OnlyReads = true });

    /// <summary>Appended groups are on disk when the task ends.</summary>
    public Task FlushAsync() => RunAsync(_log.Sync);

    /// <summary>Lets writes wait until <see cref="GoOn"/>; steps run in any case. Idempotent.</summary>
    /// <param name="reason">Writes go on when every reason for which they wait has gone.</param>
    public void Hold(HoldReason reason)
    {
        lock (_gate)
            _holds |= _isClosing ? 0 : reason;
    }

    /// <summary>Takes back a reason for which writes wait. Idempotent.</summary>
    public void GoOn(HoldReason reason)
    {
        lock (_gate)
        {
            if ((_holds & reason) == 0)
                return;
            _holds &= ~reason;
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>The state of the log for a checkpoint: the end of the log, after a sync. Call it in a step.</summary>
    public LogPosition Checkpoint()
    {
        Debug.Assert(Thread.CurrentThread == _thread, "steps run on the writer's thread");
        _log.Sync();
        return _log.End;
    }

    /// <summary>Gives up the log before a place. Call it in a step.</summary>
    /// <exception cref="IOException">Some of it stays, until the next time.</exception>
    public void Release(LogPosition first)
    {
        Debug.Assert(Thread.CurrentThread == _thread, "steps run on the writer's thread");
        _log.Release(first);
    }

    /// <summary>Turns the collection read-only.</summary>
    public void Fail(Exception error)
    {
        lock (_gate)
        {
            _failure ??= error;
            WriteRequest[] waiting = [.. _waiting];
            _waiting.Clear();
            foreach (WriteRequest request in waiting)
            {
                if (request.OnlyReads)
                    _waiting.Enqueue(request);
                else
                    request.Fail(ReadOnlyAfter(_failure));
            }

            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Writes what was accepted, makes it durable, and ends the thread.</summary>
    public void Dispose()
    {
        Thread? thread;
        lock (_gate)
        {
            _isClosing = true;
            _holds = 0;
            thread = _thread;
            Monitor.PulseAll(_gate);
        }

        thread?.Join();
        try
        {
            if (_failure is null)
            {
                _log.Sync();
                _log.DropNext();
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw ReadOnlyAfter(e);
        }
        finally
        {
            _log.Dispose();
            _resolver.Dispose();
        }
    }

    private IndexWriteException ReadOnlyAfter(Exception error) =>
        new($"{_directory}: the collection is read-only after an error, open it again: {error.Message}", error);

    private void Start()
    {
        var thread = new Thread(Run) { IsBackground = true, Name = "VectorPipe writer" };
        thread.Start();
        _thread = thread;
    }

    private void Run()
    {
        var group = new List<WriteRequest>();
        while (Take(group))
        {
            WriteRequest first = group[0];
            Exception? error = null;
            try
            {
                if (first.Step is { } step)
                    step();
                else
                    Write(group);
            }
            catch (Exception e)
            {
                // Half of a group may be in memory: a later group must not make it visible.
                if (!first.OnlyReads && (_isApplied || _log.Failure is not null))
                    Fail(_log.Failure ?? e);
                error = !first.OnlyReads && Failure is { } failure ? ReadOnlyAfter(failure) : e;
            }

            // What writes make due has begun when they are acknowledged: who waits for maintenance then waits for that.
            if (first.Step is null)
                GroupWritten?.Invoke();
            foreach (WriteRequest request in group)
                request.End(error);
            group.Clear();
        }
    }

    /// <summary>Takes the next step, or the writes of the next group. False when all is done, or nothing has come for a while.</summary>
    private bool Take(List<WriteRequest> group)
    {
        bool isInTime = true;
        lock (_gate)
        {
            while (_waiting.Count == 0 || (_holds != 0 && _waiting.All(request => request.Step is null)))
            {
                if (_waiting.Count == 0 && (_isClosing || !isInTime))
                {
                    // Who comes next starts another thread, to which a session of this one would be of no use.
                    _resolver.LeaveThread();
                    _thread = null;
                    return false;
                }

                isInTime = Monitor.Wait(_gate, _idle);
            }

            if (_holds != 0)
            {
                // Steps overtake writes that are held.
                TakeStep(group);
                return true;
            }

            long bytes = 0;
            while (_waiting.TryPeek(out WriteRequest? next))
            {
                bytes += next.LogBytes;
                bool isAlone = next.Step is not null || _durability == Durability.EveryWrite;
                if (group.Count > 0 && (isAlone || bytes > LogWriter.MaxPayload))
                    break;
                group.Add(_waiting.Dequeue());
                if (isAlone)
                    break;
            }

            return true;
        }
    }

    private void TakeStep(List<WriteRequest> group)
    {
        WriteRequest[] waiting = [.. _waiting];
        WriteRequest step = waiting.First(request => request.Step is not null);
        _waiting.Clear();
        foreach (WriteRequest request in waiting)
        {
            if (request != step)
                _waiting.Enqueue(request);
        }

        group.Add(step);
    }

    private void Write(List<WriteRequest> group)
    {
        List<WriteRequest> requests = WithRoom(FindRefusal() is { } refusal ? RefuseUpserts(group, refusal) : group);
        long sequence = (long)_log.LastGroup + 1;
        _resolver.Prepare(requests);
        _group.ResetWrittenCount();
        foreach (WriteRequest request in requests)
        {
            foreach (WriteOperation write in request.Writes)
            {
                if (!_resolver.Resolve(write))
                    continue;
                GroupCodec.Write(_group, write);
                _isApplied = true;
                Apply(write, sequence);
            }
        }

        if (_group.WrittenCount == 0)
            return;
        _log.Append(_group.WrittenSpan);
        if (_durability != Durability.OnFlush)
            _log.Sync();
        _state.Publish(sequence);
        _isApplied = false;
    }

    // What is left of the log and of memory is for deletions, which make room in the end.
    private IndexWriteException? FindRefusal() => _log.PrepareNext() is { } noRoom
        ? new IndexWriteException(
            $"{_directory}: expected room for the log to grow, found none; nothing was written, and deletions go on: {noRoom.Message}",
            noRoom)
        : InsertionsRefused?.Invoke();

    // Those for which the log has room, before any of them is in memory. Without upserts the others may fit into what is left.
    private List<WriteRequest> WithRoom(List<WriteRequest> requests)
    {
        while (requests.Count > 0 && _log.Reserve(requests.Sum(request => request.LogBytes)) is { } noRoom)
        {
            var refusal = new IndexWriteException(
                $"{_directory}: expected room for the log to grow, found none; nothing was written: {noRoom.Message}", noRoom);
            List<WriteRequest> rest = RefuseUpserts(requests, refusal);
            if (rest.Count == requests.Count)
            {
                foreach (WriteRequest request in requests)
                    request.Refusal = refusal;
                return [];
            }

            requests = rest;
        }

        return requests;
    }

    private static List<WriteRequest> RefuseUpserts(List<WriteRequest> group, IndexWriteException refusal)
    {
        foreach (WriteRequest request in group.Where(request => request.Writes.Any(write => write.Kind == WriteKind.Upsert)))
            request.Refusal = refusal;
        return group.FindAll(request => request.Refusal is null);
    }

    // Readers do not see it before the number is published; if the log fails, it never is.
    private void Apply(WriteOperation write, long sequence)
    {
        if (write.Kind == WriteKind.Upsert)
            _state.View.Newest.Add(write.Handle, sequence, write.Vector, write.Body, write.Replaces);
        else
            _state.View.Newest.AddDeletion(write.Handle, sequence, write.Replaces);
    }
}
