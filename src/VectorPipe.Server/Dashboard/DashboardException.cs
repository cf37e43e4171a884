namespace VectorPipe.Server.Dashboard;

/// <summary>A request of the dashboard cannot be carried out; the message says what was expected and found.</summary>
internal sealed class DashboardException(int status, string message) : Exception(message)
{
    /// <summary>The status of the answer.</summary>
    public int Status { get; } = status;
}
