namespace VectorPipe.Tests.Crash;

/// <summary>Stands for the end of the process in a test: no product code handles it.</summary>
public sealed class ProcessDeathException : Exception
{
    public ProcessDeathException()
        : base("the process is dead")
    {
    }

    public ProcessDeathException(string message)
        : base(message)
    {
    }

    public ProcessDeathException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
